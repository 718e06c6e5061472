import Foundation

/// What a crash leaves behind.
enum CoreDumps {
  /// Keeps this process, and what it starts, from leaving its memory on the disk: the keys of a party are in it,
  /// and what people said.
  ///
  /// A limit of one byte: too small for a file, and the one value with which Linux doesn't hand the memory to
  /// a crash collector either (core(5); for those a limit of zero is only advice). Unlike `PR_SET_DUMPABLE` it
  /// leaves `/proc` and debuggers as they are: whoever may look into this process may read the invite, too.
  static func forbid() {
    var limit = rlimit()
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    guard getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = min(1, limit.rlim_max)
    setrlimit(core, &limit)
  }
}
