"""The person's pages in a browser: view, correct and delete memories. The helper serves them on its HTTP port."""
