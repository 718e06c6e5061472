import Foundation

/// Settings against core dumps.
enum CoreDumps {
  /// Keeps this process and its child processes from writing their memory to the disk after a crash: it contains the
  /// keys of a party and its chat messages.
  ///
  /// The limit is one byte. That is too small for a file, and it is the only value with which Linux doesn't pass the
  /// memory to a crash collector either (core(5); for collectors a limit of zero is only advice). Unlike
  /// `PR_SET_DUMPABLE`, the limit leaves access through `/proc` and by debuggers unchanged: a user with that access can
  /// read the invite anyway.
  static func forbid() {
    var limit = rlimit()
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    guard getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = min(1, limit.rlim_max)
    setrlimit(core, &limit)
  }
}
