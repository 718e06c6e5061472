import Glibc

/// The ways to real-time threads, in which sound survives a busy machine with short buffers.
struct RealtimePriority: Hashable, Sendable {
  /// The highest priority that the process may give its threads (`RLIMIT_RTPRIO`); zero for none.
  var limit: UInt
  /// A Boolean value that indicates whether the process may do anything.
  var isRoot: Bool
  /// A Boolean value that indicates whether RealtimeKit, which gives the priority to the threads of users, is installed.
  var hasRealtimeKit: Bool

  var isAvailable: Bool { limit > 0 || isRoot || hasRealtimeKit }

  /// Returns this process's ways.
  static func current() -> RealtimePriority {
    var limit = rlimit()
    let isKnown = getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0
    return RealtimePriority(
      limit: isKnown ? UInt(limit.rlim_cur) : 0, isRoot: geteuid() == 0,
      hasRealtimeKit: access(realtimeKit, F_OK) == 0)
  }

  /// The file by which D-Bus starts RealtimeKit.
  private static let realtimeKit =
    "/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"
}
