"""What runs inside other graders, on the instructor's side: each hands a file to our own and answers."""
