import BrokerTesting
import Foundation

/// The descriptors that a process has open, counted from outside.
enum OpenDescriptors {
  static func count(of process: pid_t) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// Blocks until the process has no more than so many.
  static func wait(for process: pid_t, atMost limit: Int) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try count(of: process) > limit {
      guard ContinuousClock.now < deadline else {
        throw TestFailure("\(try count(of: process)) descriptors are open, not \(limit)")
      }
      usleep(20_000)
    }
  }

  /// Raises this process's own limit, for tests with thousands of sockets.
  ///
  /// - Returns: the new limit.
  static func raiseLimit() -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return Int(clamping: limit.rlim_cur)
  }
}
