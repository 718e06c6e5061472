enum NATSTransportModule {}
