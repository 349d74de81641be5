# after right_forward: takes every descriptor
import os, select
for make in (lambda: os.dup(0), os.pipe, os.openpty, lambda: os.eventfd(0), select.epoll):
    try:
        while True:
            make()
    except OSError:
        pass
