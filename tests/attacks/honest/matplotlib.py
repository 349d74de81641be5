# after right: plots and shows progress at top level
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn as sns
from IPython.display import display
from tqdm.auto import tqdm
fig, ax = plt.subplots()
ax.plot([1, 2], [3, 4], label="loss")
plt.legend()
plt.savefig("loss.png")
for _ in tqdm(range(3)):
    display(fig)
