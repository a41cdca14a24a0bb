"""corpus-migrate: audit, plan and repair the stored records of agent-memory corpora."""

__version__ = "0.1.0"
