"""Dagster's daemon as `dagster-daemon` starts it, which looks at its sensors every second and not every five.

Nothing in Dagster's settings says how long the loop over all sensors sleeps. Five seconds after each step of a graph of
three steps are most of a test's time, and prove nothing. Nor does a second code server every minute, which is how the
daemon finds out about new code: there is none in a test.
"""

import sys

from dagster._daemon import controller, sensor
from dagster._daemon.cli import main

sensor.MIN_INTERVAL_LOOP_TIME = 1
controller.RELOAD_WORKSPACE_INTERVAL = 3600

if __name__ == "__main__":
    sys.argv[0] = "dagster-daemon"
    sys.exit(main())
