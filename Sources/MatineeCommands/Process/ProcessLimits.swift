import Foundation
import MatineeKit

/// The system limits (`ulimit`) below which no film plays: libraries then end the program without a message.
enum ProcessLimits {
  /// The least address space, in bytes. For a small film 1 GiB is too little; nearly all of it is reserved and never
  /// used.
  static let addressSpace: UInt64 = 2 << 30
  /// The least stack of a thread, in bytes. For a small film 128 KiB were enough, and 64 KiB too little.
  static let stack: UInt64 = 256 << 10

  /// Returns an error for the user if there is too little address space.
  static func addressSpaceProblem() -> String? {
    guard let limit = limit(RLIMIT_AS), limit < addressSpace else { return nil }
    return "This system allows the program only \(limit >> 20) MiB of address space, too little to "
      + "play a film. Raise the limit: ulimit -v unlimited"
  }

  /// Returns an error for the user if there is too little stack.
  static func stackProblem() -> String? {
    guard let limit = limit(RLIMIT_STACK), limit < stack else { return nil }
    return "This system allows a thread only \(limit >> 10) KiB of stack, too little to play a "
      + "film. Raise the limit: ulimit -s 8192"
  }

  private static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}

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
