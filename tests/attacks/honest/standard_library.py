# after right: imports what a student may think of
import abc, argparse, collections, contextlib, copy, dataclasses, datetime, enum, functools, itertools, json, logging
import math, operator, os, pathlib, pprint, random, re, string, sys, time, traceback, typing, unittest, warnings
from collections import defaultdict
from pathlib import Path
from typing import Optional, Tuple
HERE = Path(__file__).parent if "__file__" in globals() else Path(".")
np.random.seed(0)
random.seed(0)
