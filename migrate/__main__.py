"""``python -m migrate`` is the same command as ``corpus-migrate``."""

from __future__ import annotations

if __name__ == "__main__":
    # Not above: the processes of a run import this module too, and need no command line.
    from migrate.cli.main import main

    main()
