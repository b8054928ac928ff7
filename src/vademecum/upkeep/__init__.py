"""Jobs that keep memory true: the write gate, following the files, absorbing transcripts, finer vectors."""
