"""Where the console command starts: it imports nothing of weight, so that Ctrl-C is answered from the first moment on.

The command's own imports take half a second, Dagster's another, and an interruption inside an import is a traceback of
thirty lines about somebody else's modules.
"""

import signal
import sys
from typing import NoReturn

INTERRUPTED = 130


def end_interrupted() -> NoReturn:
    """Say in one line that the command was interrupted, and exit as shells expect it."""
    sys.stderr.write("osrforge-assets: interrupted; what was finished is kept.\n")
    sys.exit(INTERRUPTED)


def run() -> None:
    """Run the command."""
    try:
        from osrforge_assets.cli import main

        main()
    except KeyboardInterrupt:
        end_interrupted()
    finally:
        # What is left is the interpreter's own end, which answers Ctrl-C with a traceback; now it ends the process.
        # A command that a shell started in the background ignores it, to its last moment too.
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    run()
