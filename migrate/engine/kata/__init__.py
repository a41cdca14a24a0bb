"""The SQL of the table model of kata exports."""
