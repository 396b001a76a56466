"""What helps people edit policies: tools on the interpreter, none of them a part of it. Pure, as the interpreter is."""
