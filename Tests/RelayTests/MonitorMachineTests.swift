import Testing
import Timekeeping

@testable import Relay

@Suite("The monitor's decisions")
struct MonitorMachineTests {
  private let start = HostTime(nanoseconds: 0)
  private let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
  private let parsed = MonitorRequest(method: "GET", path: "/")

  @Test("A connection is answered once, and closed if the client doesn't close it")
  func once() {
    var machine = MonitorMachine()
    #expect(machine.accepted(7, now: start) == nil)
    #expect(machine.received(request[..<5], from: 7, now: start) == nil)
    #expect(machine.received(request[5...], from: 7, now: start) == .answer(parsed, connection: 7))
    #expect(machine.received(request, from: 7, now: start) == nil)
    #expect(machine.timePassed(now: start + .milliseconds(999)) == [])
    #expect(machine.timePassed(now: start + MonitorMachine.leavingTime) == [.close(connection: 7)])
    #expect(machine.timePassed(now: start + .seconds(60)) == [])
    #expect(machine.received(request, from: 7, now: start) == nil)
  }

  @Test("Bytes that are no request are refused once")
  func refusal() {
    var machine = MonitorMachine()
    _ = machine.accepted(7, now: start)
    #expect(machine.received([0], from: 7, now: start) == .refuse(connection: 7))
    #expect(machine.received(request, from: 7, now: start) == nil)
  }

  @Test("A slow request has a limited time in all, however many bytes arrive")
  func slow() {
    var machine = MonitorMachine()
    _ = machine.accepted(1, now: start)
    _ = machine.accepted(2, now: start + .seconds(1))
    for second in 1..<5 {
      #expect(machine.received([0x41], from: 1, now: start + .seconds(second)) == nil)
      #expect(machine.timePassed(now: start + .seconds(second)) == [])
    }
    #expect(machine.timePassed(now: start + .seconds(5)) == [.close(connection: 1)])
    // An answer just before the end doesn't make it longer.
    #expect(
      machine.received(request, from: 2, now: start + .milliseconds(5900))
        == .answer(parsed, connection: 2))
    #expect(machine.timePassed(now: start + .seconds(6)) == [.close(connection: 2)])
  }

  @Test("The oldest connection makes room for one too many, whose number may be used again")
  func room() {
    var machine = MonitorMachine()
    for number in 0..<MonitorMachine.connectionLimit {
      #expect(machine.accepted(number, now: start) == nil)
    }
    #expect(machine.accepted(100, now: start) == .close(connection: 0))
    machine.closed(1)
    #expect(machine.accepted(0, now: start) == nil)
    #expect(machine.accepted(101, now: start) == .close(connection: 2))
    #expect(machine.received(request, from: 0, now: start) == .answer(parsed, connection: 0))
  }
}
