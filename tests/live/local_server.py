"""Serves the small real model on loopback until it is stopped: `python local_server.py MODEL.gguf KEY`.

A process of its own, so that a fault of the C++ server is not one of the test run.
"""

import sys
import threading

import xllamacpp  # pyright: ignore[reportMissingImports]


def main() -> None:
    model, key = sys.argv[1:]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()


main()
