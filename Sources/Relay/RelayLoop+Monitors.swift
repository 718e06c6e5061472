import CEpoll
import Timekeeping

/// The status pages of the relay.
extension RelayLoop {
  /// Answers at a monitor's sockets.
  ///
  /// - Returns: the number that names the monitor.
  func add(_ monitor: MonitorSockets) -> Int {
    defer { nextMonitor += 1 }
    monitors.append((nextMonitor, monitor))
    control(EPOLL_CTL_ADD, monitor.descriptor, EPOLLIN.rawValue)
    return nextMonitor
  }

  func endMonitor(_ number: Int) { monitors.removeAll { $0.number == number } }

  /// Returns the state of the relay; nil if it is about to stop.
  func report(at now: HostTime) -> RelayReport? {
    guard !isShuttingDown else { return nil }
    return RelayReport(
      statistics: broker.statistics, limits: broker.limits, process: .now(),
      uptime: now - madeAt)
  }
}
