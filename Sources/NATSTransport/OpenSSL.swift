import CNATS

/// OpenSSL, which libnats uses and other libraries of the program may use too.
public enum OpenSSL {
  private static let isKept = cnats_keep_openssl() == 1

  /// Initializes OpenSSL so that it keeps its memory until the process is gone; idempotent.
  ///
  /// By default OpenSSL frees its locks when a process exits, and a thread that uses OpenSSL at that moment crashes.
  /// Only the first initialization in a process decides (OPENSSL_init_crypto(3)), and every call of libnats may be that
  /// first one. So each entry to libnats calls this method before, and a program calls it before it loads anything
  /// else.
  public static func keepUntilExit() {
    precondition(isKept, "OpenSSL can't be initialized")
  }
}
