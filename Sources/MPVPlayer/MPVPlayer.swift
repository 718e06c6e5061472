enum MPVPlayerModule {}
