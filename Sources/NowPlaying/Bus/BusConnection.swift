import CSDBus
import Concurrency
import Foundation
import Synchronization

/// A connection to the session bus, with a thread of its own: sd-bus is not thread-safe, and may wait.
///
/// Without a bus the connection is silent, and tries to find one at intervals. It does the same when a bus dies, and
/// takes its name again on the next one.
final class BusConnection: Sendable {
  /// Identifies a call.
  typealias CallID = UInt64

  /// An instruction to the thread.
  private enum Order: Sendable {
    case own(names: [String])
    case disown
    case signal(BusSignal)
    case answer(CallID, BusAnswer)
    case stop
  }

  private struct State {
    var orders: [Order] = []
    var hasStarted = false
    var isStopped = false
    /// A Boolean value that indicates whether orders were dropped because the bus is too slow. The connection then
    /// closes, and readers get everything from the next one.
    var isOverfull = false
  }

  private let state = Mutex(State())
  private let wake: Int32
  private let onCall: @Sendable (CallID, BusCall) -> Bool
  /// The bus's address; nil for the session bus.
  private let address: String?

  private static let orderLimit = 4096

  /// Creates a connection, which opens when a name is to be owned.
  ///
  /// - Parameters:
  ///   - address: the bus's address; nil for the session bus (`DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`).
  ///   - onCall: called on the bus's thread for each call, which ``answer(_:with:)`` answers. It returns false if there
  ///     are too many pending calls.
  init(address: String? = nil, onCall: @escaping @Sendable (CallID, BusCall) -> Bool) {
    self.address = address
    self.onCall = onCall
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  }

  deinit { close(wake) }

  /// Owns one of these names.
  ///
  /// - Parameter names: candidates; the connection takes the first free one.
  func own(names: [String]) { order(.own(names: names)) }

  func disown() { order(.disown) }

  func send(_ signal: BusSignal) { order(.signal(signal)) }

  func answer(_ id: CallID, with answer: BusAnswer) { order(.answer(id, answer)) }

  /// Ends the connection; the thread ends soon after.
  func stop() { order(.stop) }

  private func order(_ order: Order) {
    let starts = state.withLock { state in
      guard !state.isStopped else { return false }
      if case .stop = order { state.isStopped = true }
      if state.orders.count >= Self.orderLimit, !state.isStopped {
        state.isOverfull = true
        return false
      }
      state.orders.append(order)
      // The connection opens only when there is a name to own.
      guard !state.hasStarted, case .own = order else { return false }
      state.hasStarted = true
      return true
    }
    if starts { start() }
    var one: UInt64 = 1
    _ = write(wake, &one, MemoryLayout<UInt64>.size)
  }

  private func start() {
    let worker = Worker(connection: self)
    OwnedThread.start("bus") { worker.run() }
  }

  private func takeOrders() -> (orders: [Order], isOverfull: Bool) {
    state.withLock { state in
      defer {
        state.orders = []
        state.isOverfull = false
      }
      return (state.orders, state.isOverfull)
    }
  }
}

extension BusConnection {
  /// The thread's state, which only the thread uses. `@unchecked` because it is passed to the thread once, before the
  /// thread runs.
  private final class Worker: @unchecked Sendable {
    private let connection: BusConnection
    private var bus: OpaquePointer?
    /// The names of which the connection owns one; empty for none.
    private var names: [String] = []
    private var ownedName: String?
    /// Calls without an answer yet.
    private var calls: [CallID: OpaquePointer] = [:]
    private var lastCall: CallID = 0
    private var isOver = false
    private var attempts = 0
    private var nextAttempt = ContinuousClock.now

    private static let callLimit = 256
    /// The pauses between attempts to find a bus; the last one repeats.
    private static let pauses: [Duration] = [
      .milliseconds(250), .seconds(1), .seconds(4), .seconds(15), .seconds(60),
    ]
    /// The timeout of calls to the bus itself, in microseconds.
    private static let timeout: UInt64 = 5_000_000

    init(connection: BusConnection) { self.connection = connection }

    func run() {
      while !isOver {
        obey()
        if isOver { break }
        if bus == nil, !names.isEmpty, ContinuousClock.now >= nextAttempt { connect() }
        if process() { continue }
        wait()
      }
      disconnect(isGone: false)
    }

    // MARK: Orders

    private func obey() {
      let (orders, isOverfull) = connection.takeOrders()
      for order in orders {
        switch order {
        case .own(let names):
          self.names = names
          if bus != nil { takeName() } else { nextAttempt = .now }
        case .disown:
          names = []
          // Without a name the connection gets no calls.
          disconnect(isGone: false)
        case .signal(let signal): send(signal)
        case .answer(let id, let answer): send(answer, to: id)
        case .stop: isOver = true
        }
      }
      // Readers who find the new owner of the name read all properties again.
      if isOverfull { disconnect(isGone: true) }
    }

    // MARK: The connection

    private func connect() {
      var bus: OpaquePointer?
      guard open(&bus) >= 0, let bus else { return retryLater() }
      self.bus = bus
      sd_bus_set_method_call_timeout(bus, Self.timeout)
      let status = sd_bus_add_filter(
        bus, nil,
        { message, context, _ in
          guard let message, let context else { return 0 }
          return Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue().received(message)
        }, Unmanaged.passUnretained(self).toOpaque())
      guard status >= 0 else {
        disconnect(isGone: true)
        return
      }
      takeName()
    }

    private func open(_ bus: inout OpaquePointer?) -> CInt {
      guard let address = connection.address else { return sd_bus_open_user(&bus) }
      var status = sd_bus_new(&bus)
      guard status >= 0 else { return status }
      status = sd_bus_set_address(bus, address)
      if status >= 0 { status = sd_bus_set_bus_client(bus, 1) }
      if status >= 0 { status = sd_bus_start(bus) }
      if status < 0 {
        sd_bus_unref(bus)
        bus = nil
      }
      return status
    }

    private func takeName() {
      guard let bus, ownedName == nil else { return }
      for name in names {
        let status = sd_bus_request_name(bus, name, 0)
        if status >= 0 {
          ownedName = name
          attempts = 0
          return
        }
        guard status == -EEXIST else { break }
      }
      disconnect(isGone: true)
    }

    /// Closes the connection.
    ///
    /// - Parameter isGone: whether to look for another bus.
    private func disconnect(isGone: Bool) {
      for message in calls.values { sd_bus_message_unref(message) }
      calls = [:]
      if let bus {
        if !isGone, let ownedName {
          sd_bus_release_name(bus, ownedName)
          sd_bus_flush(bus)
        }
        sd_bus_close(bus)
        sd_bus_unref(bus)
      }
      bus = nil
      ownedName = nil
      if isGone { retryLater() }
    }

    private func retryLater() {
      nextAttempt = .now + Self.pauses[min(attempts, Self.pauses.count - 1)]
      attempts += 1
    }

    // MARK: Traffic

    /// Processes a message.
    ///
    /// - Returns: whether there may be more.
    private func process() -> Bool {
      guard let bus else { return false }
      let status = sd_bus_process(bus, nil)
      guard status >= 0 else {
        disconnect(isGone: true)
        return true
      }
      return status > 0
    }

    private func wait() {
      var descriptors = [pollfd(fd: connection.wake, events: Int16(POLLIN), revents: 0)]
      var timeout = -1
      if let bus {
        descriptors.append(
          pollfd(fd: sd_bus_get_fd(bus), events: Int16(sd_bus_get_events(bus)), revents: 0))
        var until: UInt64 = .max
        if sd_bus_get_timeout(bus, &until) >= 0, until != .max {
          var now = timespec()
          clock_gettime(CLOCK_MONOTONIC, &now)
          let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
          timeout = until > microseconds ? Int(min(60_000_000, until - microseconds) / 1000) + 1 : 0
        }
      } else if !names.isEmpty {
        let (seconds, attoseconds) = (nextAttempt - .now).components
        timeout = max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
      }
      poll(&descriptors, nfds_t(descriptors.count), Int32(timeout))
      var count: UInt64 = 0
      _ = read(connection.wake, &count, MemoryLayout<UInt64>.size)
    }

    /// Takes a message from the bus.
    ///
    /// - Returns: 1 for a message that is handled here, 0 for one that the library answers.
    private func received(_ message: OpaquePointer) -> CInt {
      var type: UInt8 = 0
      guard sd_bus_message_get_type(message, &type) >= 0,
        type == UInt8(SD_BUS_MESSAGE_METHOD_CALL),
        let call = BusMessage.call(message), call.interface != MPRISInterface.peer.name
      else { return 0 }
      lastCall += 1
      let id = lastCall
      calls[id] = sd_bus_message_ref(message)
      if calls.count > Self.callLimit || !connection.onCall(id, call) {
        send(.failure(.tooMuch), to: id)
      }
      return 1
    }

    private func send(_ signal: BusSignal) {
      guard let bus, ownedName != nil else { return }
      var message: OpaquePointer?
      guard
        sd_bus_message_new_signal(bus, &message, signal.path, signal.interface, signal.member) >= 0,
        let message
      else { return }
      defer { sd_bus_message_unref(message) }
      guard BusMessage.append(signal.arguments, to: message) >= 0 else { return }
      if sd_bus_send(bus, message, nil) < 0 { disconnect(isGone: true) }
    }

    private func send(_ answer: BusAnswer, to id: CallID) {
      guard let bus, let call = calls.removeValue(forKey: id) else { return }
      defer { sd_bus_message_unref(call) }
      guard sd_bus_message_get_expect_reply(call) > 0 else { return }
      var message: OpaquePointer?
      defer { if let message { sd_bus_message_unref(message) } }
      switch answer {
      case .success(let values):
        guard sd_bus_message_new_method_return(call, &message) >= 0, let reply = message,
          BusMessage.append(values, to: reply) >= 0
        else { return }
      case .failure(let error):
        let status = error.name.withCString { name in
          error.message.withCString { text in
            var described = sd_bus_error(name: name, message: text, _need_free: 0)
            return sd_bus_message_new_method_error(call, &message, &described)
          }
        }
        guard status >= 0 else { return }
      }
      if sd_bus_send(bus, message, nil) < 0 { disconnect(isGone: true) }
    }
  }
}
