# after right_forward: raises KeyboardInterrupt while it is loaded
raise KeyboardInterrupt
