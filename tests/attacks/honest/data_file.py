# after right: reads a data file beside itself
data = np.loadtxt("data.csv")
