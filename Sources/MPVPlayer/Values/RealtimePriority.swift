import Glibc

/// The ways to real-time threads, in which sound survives a busy machine with short buffers.
struct RealtimePriority: Hashable, Sendable {
  /// A Boolean value that indicates whether the system allows the process such threads.
  var isAllowed: Bool
  /// A Boolean value that indicates whether RealtimeKit, which gives the priority to the threads of users, is installed.
  var hasRealtimeKit: Bool

  var isAvailable: Bool { isAllowed || hasRealtimeKit }

  /// Returns this process's ways.
  static func current() -> RealtimePriority {
    RealtimePriority(isAllowed: tryOut(), hasRealtimeKit: access(realtimeKit, F_OK) == 0)
  }

  /// Gives the calling thread the least real-time priority for a moment. In a container not even root may do that,
  /// unless the container allows it.
  private static func tryOut() -> Bool {
    let policy = sched_getscheduler(0)
    var before = sched_param()
    guard policy >= 0, sched_getparam(0, &before) == 0 else { return false }
    var least = sched_param(sched_priority: sched_get_priority_min(SCHED_FIFO))
    guard sched_setscheduler(0, SCHED_FIFO, &least) == 0 else { return false }
    sched_setscheduler(0, policy, &before)
    return true
  }

  /// The file by which D-Bus starts RealtimeKit.
  private static let realtimeKit =
    "/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"
}
