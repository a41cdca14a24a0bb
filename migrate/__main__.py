"""``python -m migrate`` is the same command as ``corpus-migrate``."""

from __future__ import annotations

from migrate.cli.main import main

if __name__ == "__main__":
    main()
