"""The command line as a module: ``python -m inductive_bias run vision`` is ``inductive-bias run vision``."""

from inductive_bias.cli import main

if __name__ == "__main__":
    main()
