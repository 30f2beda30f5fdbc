"""An assistant at the table: the Model Context Protocol over standard input and output, for one campaign."""
