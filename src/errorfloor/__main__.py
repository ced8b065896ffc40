"""The command line: `python -m errorfloor`."""

from errorfloor.cli import main

if __name__ == "__main__":
    main()
