import Foundation

/// A program that starts apart from this one: without its signals' states, its open files and its terminal's job.
package enum DetachedProcess {
  /// The group of a new process.
  package enum Group: Hashable, Sendable {
    /// A process group of its own: it doesn't get signals that are sent to the terminal's job.
    case own
    /// A session of its own: it outlives the terminal too.
    case session
  }

  /// The number of file descriptors of which some may be open.
  private static let descriptors = 4096
  /// POSIX_SPAWN_SETSID, which glibc defines for GNU sources only.
  private static let setsID: Int32 = 0x80

  /// Starts a program whose output is discarded.
  ///
  /// - Parameters:
  ///   - path: the program's file.
  ///   - arguments: its arguments, the name first.
  ///   - input: the file descriptor of its input; nil for none.
  ///   - environment: its environment; nil for this process's.
  ///   - group: the group of the new process.
  /// - Returns: its id; nil if the system refuses.
  package static func start(
    _ path: String, _ arguments: [String], input: Int32? = nil,
    environment: [String: String]? = nil, in group: Group
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    // The program would keep the terminal open.
    for descriptor in Int32(1)...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    // A descriptor beyond the limit would be an error.
    for descriptor in Int32(3)..<Int32(min(OpenFiles.limit, descriptors)) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Without the signals that this thread blocks or ignores.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flag =
      switch group {
      case .own: Int32(POSIX_SPAWN_SETPGROUP)
      case .session: setsID
      }
    posix_spawnattr_setflags(
      &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | flag))
    let pointers = arguments.map { strdup($0) } + [nil]
    let values =
      (environment ?? ProcessInfo.processInfo.environment)
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (pointers + values).forEach { free($0) } }
    var id: pid_t = 0
    return posix_spawn(&id, path, &actions, &attributes, pointers, values) == 0 ? id : nil
  }
}
