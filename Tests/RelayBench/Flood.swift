import BrokerTesting
import CEpoll
import Foundation
import GroupActivities
import Synchronization

/// A party that sends as much as its sockets take, and reads all of it.
///
/// It has a thread of its own, with less priority than the clients that are measured.
final class Flood: Sendable {
  private let descriptors: [CInt]
  private let pieces: [UInt8]
  private let ends = Mutex(false)
  private let read = Mutex(0)
  private let over = DispatchSemaphore(value: 0)

  /// - Parameter clients: of one party; they are used by nobody else while this lasts.
  init(of clients: [Client]) {
    descriptors = clients.map(\.descriptor)
    pieces = Array(repeatElement(clients[0].message, count: 64).joined())
    Thread.detachNewThread { [self] in
      // On Linux both are the thread's alone; the process may have real-time priority.
      var parameter = sched_param()
      pthread_setschedparam(pthread_self(), CInt(SCHED_OTHER), &parameter)
      setpriority(CInt(PRIO_PROCESS.rawValue), 0, 10)
      run()
      over.signal()
    }
  }

  /// The bytes that the broker has sent to the party so far.
  var received: Int { read.withLock { $0 } }

  /// Ends the flood, and returns when its thread has ended.
  func stop() {
    ends.withLock { $0 = true }
    over.wait()
  }

  private func run() {
    let events = epoll_create1(0)
    defer { close(events) }
    for (index, descriptor) in descriptors.enumerated() {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue
      event.data.u64 = UInt64(index)
      epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event)
    }
    // How much of `pieces` each has sent.
    var sent = [Int](repeating: 0, count: descriptors.count)
    var ready = [epoll_event](repeating: epoll_event(), count: descriptors.count)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while !ends.withLock({ $0 }) {
      let count = epoll_wait(events, &ready, CInt(ready.count), 100)
      var bytes = 0
      for event in ready.prefix(Int(max(0, count))) {
        let index = Int(event.data.u64)
        if event.events & EPOLLIN.rawValue != 0 {
          bytes += max(0, recv(descriptors[index], &buffer, buffer.count, 0))
        }
        guard event.events & EPOLLOUT.rawValue != 0 else { continue }
        let taken = pieces[sent[index]...].withUnsafeBytes {
          send(descriptors[index], $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        if taken > 0 { sent[index] = (sent[index] + taken) % pieces.count }
      }
      read.withLock { $0 += bytes }
    }
  }
}
