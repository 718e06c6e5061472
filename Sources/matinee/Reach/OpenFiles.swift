import Foundation

/// The files, sockets among them, that this process may have open.
enum OpenFiles {
  /// The limit of a program with a player: enough for a relay with all its connections, and not so many that programs
  /// that it starts take long to close them all.
  static let playerLimit = 65_536
  /// The fewest with which a program with a player works.
  static let minimum = 32

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

  /// The number of files that the process may have open at a time.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit as far as the system allows.
  ///
  /// - Parameter maximum: the limit isn't raised further.
  /// - Returns: the limit from now on.
  @discardableResult
  static func raiseLimit(to maximum: Int = .max) -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = max(before, min(limit.rlim_max, rlim_t(maximum)))
    if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    return Int(clamping: limit.rlim_cur)
  }
}
