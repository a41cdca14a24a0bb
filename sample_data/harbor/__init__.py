"""The made-up project behind ``sample_data``: its works, issues and faults, as data."""
