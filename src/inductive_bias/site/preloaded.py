"""What notebooks import, imported once: the server of ``kernels`` imports this module, and its forks have it.

Nothing here may start a thread, which a fork would lose. OpenBLAS's are in order: it ends them before a fork, and each
side starts its own when it needs them.
"""

import atexit
import gc
import os

# read when a package is imported: which backend matplotlib takes, as ipykernel sets it, and whether Arrow's allocator
# starts a thread
os.environ["MPLBACKEND"] = os.environ.get("MPLBACKEND") or "module://matplotlib_inline.backend_inline"
os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"

import ipykernel.kernelapp  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import pandas as pd
import seaborn  # noqa: F401

import inductive_bias.record  # noqa: F401

pd.options.display.max_columns = 20  # its default in a kernel; pandas looks where it is when it is imported
gc.freeze()  # a collection in a fork would write to every object, and so copy all the memory that is shared
atexit.register(gc.unfreeze)  # else libraries complain of what the server leaves behind when it ends
