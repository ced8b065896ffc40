"""What keeps the project's own documents true."""
