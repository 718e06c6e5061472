enum RelayModule {}
