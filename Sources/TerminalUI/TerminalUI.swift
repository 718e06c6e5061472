enum TerminalUIModule {}
