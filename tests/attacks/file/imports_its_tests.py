# after right_forward: imports the files that students receive
import gradcheck
