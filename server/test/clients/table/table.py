"""Prints the rows of the modules that are named in the arguments: table.py URL KEY WYOMING_URI RECORDING MODULE..."""

import asyncio
import importlib
import sys

import rows

for module in sys.argv[5:]:
    importlib.import_module(module)
asyncio.run(rows.print_rows())
