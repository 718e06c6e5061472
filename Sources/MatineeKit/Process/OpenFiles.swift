import Foundation

/// The files that this process may have open, including sockets.
package enum OpenFiles {
  /// The limit for a program with a player. It is enough for a relay with all its connections, and small enough that
  /// child processes don't take long to close all files.
  package static let playerLimit = 65_536
  /// The smallest number with which a program with a player works.
  package static let minimum = 32

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

  /// The number of files that the process may have open at a time.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit as far as the system allows.
  ///
  /// - Parameter maximum: the largest new limit.
  /// - Returns: the new limit.
  @discardableResult
  package static func raiseLimit(to maximum: Int = .max) -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = max(before, min(limit.rlim_max, rlim_t(maximum)))
    if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    return Int(clamping: limit.rlim_cur)
  }
}
