import BrokerTesting
import CEpoll
import Foundation
import GroupActivities

/// What one broker did under one load.
struct Figures {
  /// Milliseconds between the call that sends and the last byte read.
  var p50 = 0.0
  var p99 = 0.0
  /// Percent of one core.
  var cpu = 0.0
  /// MiB with all connected and nothing sent, and the most at any time.
  var idle = 0.0
  var peak = 0.0
  /// The same without the pages of programs and libraries, which processes share.
  var anonymous = 0.0
  var deliveries = 0
  var expected = 0
  /// The delays beside the flood, and the copies a second that the flood received.
  var floodedP50 = 0.0
  var floodedP99 = 0.0
  var floodCopies = 0.0
}

/// Connects the clients of a load, has them send for a while, and measures.
struct Run {
  let load: Load
  let seconds: Double
  let broker: BrokerProcess

  func measure() throws -> Figures {
    var clients: [Client] = []
    var senders: [Client] = []
    let events = epoll_create1(0)
    defer { close(events) }
    let greetings = (0..<load.parties).map { _ in Greeting(key: AdmissionKey()) }
    let members = greetings.flatMap { greeting in (0..<load.members).map { (greeting, $0) } }
    // Together, and not so many that they are strangers to the broker for long.
    for first in stride(from: 0, to: members.count, by: 100) {
      let batch = try members[first..<min(first + 100, members.count)].map {
        (try Client(port: broker.port, greeting: $0.0), $0.1)
      }
      for (client, member) in batch {
        try client.open()
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(clients.count)
        epoll_ctl(events, EPOLL_CTL_ADD, client.descriptor, &event)
        clients.append(client)
        if member < load.senders { senders.append(client) }
      }
    }
    // Neighbours in time are of different parties.
    senders = (0..<load.senders).flatMap { offset in
      stride(from: offset, to: senders.count, by: load.senders).map { senders[$0] }
    }
    var figures = Figures()
    figures.idle = try broker.memory("VmRSS")
    // The first second is not counted: caches fill, buffers find their size.
    _ = try drive(clients, senders, events: events, seconds: 1)
    let cpu = try broker.cpuSeconds()
    let start = Clock.nanoseconds()
    let latencies = try drive(clients, senders, events: events, seconds: seconds).sorted()
    let elapsed = Double(Clock.nanoseconds() - start) / 1e9
    figures.cpu = (try broker.cpuSeconds() - cpu) / elapsed * 100
    figures.peak = try broker.memory("VmHWM")
    figures.anonymous = try broker.memory("RssAnon")
    figures.deliveries = latencies.count
    figures.expected = Int((load.sendsPerSecond * seconds).rounded()) * (load.members - 1)
    let refused = senders.reduce(0) { $0 + $1.refusedSends }
    guard refused == 0 else { throw TestFailure("the broker didn't read \(refused) messages") }
    guard !latencies.isEmpty else { throw TestFailure("nothing came") }
    (figures.p50, figures.p99) = percentiles(latencies)
    if load.flooders > 0 { try flood(&figures, clients, senders, events: events) }
    return figures
  }

  /// Measures the same beside a party that floods the broker.
  private func flood(
    _ figures: inout Figures, _ clients: [Client], _ senders: [Client], events: CInt
  ) throws {
    let greeting = Greeting(key: AdmissionKey())
    let crowd = try (0..<load.flooders).map { _ in try Client(port: broker.port, greeting: greeting)
    }
    for client in crowd { try client.open() }
    let flood = Flood(of: crowd)
    // The burst that the flood may send passes first.
    _ = try drive(clients, senders, events: events, seconds: 2)
    let (start, before) = (Clock.nanoseconds(), flood.received)
    let latencies = try drive(clients, senders, events: events, seconds: seconds).sorted()
    let elapsed = Double(Clock.nanoseconds() - start) / 1e9
    figures.floodCopies =
      Double(flood.received - before) / Double(crowd[0].message.count) / elapsed
    flood.stop()
    guard !latencies.isEmpty else { throw TestFailure("nothing came beside the flood") }
    (figures.floodedP50, figures.floodedP99) = percentiles(latencies)
    figures.deliveries += latencies.count
    figures.expected *= 2
    withExtendedLifetime(crowd) {}
  }

  private func percentiles(_ ordered: [UInt64]) -> (Double, Double) {
    (Double(ordered[ordered.count / 2]) / 1e6, Double(ordered[ordered.count * 99 / 100]) / 1e6)
  }

  /// Sends at the load's rate, evenly spread over time, and reads until all has come or nothing has
  /// for a second.
  private func drive(
    _ clients: [Client], _ senders: [Client], events: CInt, seconds: Double
  ) throws -> [UInt64] {
    let interval = 1e9 / load.sendsPerSecond
    let total = Int((load.sendsPerSecond * seconds).rounded())
    let expected = total * (load.members - 1)
    var latencies: [UInt64] = []
    latencies.reserveCapacity(expected)
    let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK))
    defer { close(timer) }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = .max
    epoll_ctl(events, EPOLL_CTL_ADD, timer, &event)
    var ready = [epoll_event](repeating: epoll_event(), count: 512)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
    defer { buffer.deallocate() }
    let start = Clock.nanoseconds()
    var sent = 0
    while latencies.count < expected {
      // Before and between readings: a sender that waits for its own reading would send in bursts.
      func sendDue() {
        let elapsed = Double(Clock.nanoseconds() - start)
        while sent < total, Double(sent) * interval <= elapsed {
          senders[sent % senders.count].send()
          sent += 1
        }
      }
      sendDue()
      if sent < total {
        let due = start + UInt64(Double(sent) * interval)
        var time = itimerspec()
        time.it_value.tv_sec = Int(due / 1_000_000_000)
        time.it_value.tv_nsec = Int(due % 1_000_000_000)
        timerfd_settime(timer, CInt(TFD_TIMER_ABSTIME), &time, nil)
      }
      let count = epoll_wait(events, &ready, CInt(ready.count), 1000)
      if count == 0 && sent == total { break }
      for index in 0..<Int(max(0, count)) {
        if ready[index].data.u64 == .max {
          var expirations: UInt64 = 0
          _ = read(timer, &expirations, 8)
          continue
        }
        try clients[Int(ready[index].data.u64)].receive(into: buffer) { latencies.append($0) }
        if index % 16 == 15 { sendDue() }
      }
    }
    return latencies
  }
}
