"""The command line: `python -m errorfloor`."""

from errorfloor.apps.cli import main

if __name__ == "__main__":
    main()
