raise ValueError("so that later labs are judged over right ones")
