import Foundation
import GroupActivities
import Logging
import STUN
import Testing
import Timekeeping

@testable import DirectPath
@testable import Relay

/// The relay as a STUN server.
@Suite("The relay's STUN server") struct STUNRelayTests {
  private let now = HostTime(nanoseconds: 0)
  private let source = SocketAddress(IPv4: 0xc633_6407, port: 4000)
  private let other = SocketAddress(IPv4: 0, port: 62847)
  private let transaction = STUNMessage.TransactionID(high: 1, low: 2)

  private func configuration(port: Int = 0) -> RelayConfiguration {
    RelayConfiguration(admission: .anyKey, host: "127.0.0.1", port: port)
  }

  private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test("The answer names the source of the request")
  func answer() throws {
    var responder = STUNResponder(otherAddress: nil, at: now)
    let request = STUNMessage(.bindingRequest, transaction)
    let answer = responder.answer(to: request.bytes, from: source, at: now)
    let message = try #require(STUNMessage(answer ?? []))
    #expect(message.kind == .bindingResponse)
    #expect(message.transaction == transaction)
    #expect(message.mappedAddress == source)
    #expect(message.hasFingerprint)
  }

  @Test("An answer is never longer than its request and one address")
  func size() throws {
    let six = try #require(SocketAddress(text: "2001:db8::9", port: 1))
    for source in [source, six] {
      for padding in 0...40 {
        for hasFingerprint in [false, true] {
          // Each request from another network, for the rate.
          var responder = STUNResponder(otherAddress: other, at: now)
          var request = STUNMessage(
            .bindingRequest, transaction, hasFingerprint: hasFingerprint)
          request.paddingCount = padding
          let answer = responder.answer(to: request.bytes, from: source, at: now) ?? []
          #expect(answer.count <= request.bytes.count + (source.isIPv6 ? 24 : 12))
          let message = try #require(STUNMessage(answer))
          #expect(message.hasFingerprint == hasFingerprint)
          // Four bytes for the padding's own header.
          #expect((message.otherAddress == other) == (padding > 4))
        }
      }
    }
  }

  @Test("Only well-formed binding requests are answered")
  func others() {
    var responder = STUNResponder(otherAddress: other, at: now)
    let messages: [[UInt8]] = [
      [], [0], Array("INFO {}\r\n".utf8), [UInt8](repeating: 0, count: 20),
      STUNMessage(.bindingResponse, transaction, mappedAddress: source).bytes,
      STUNMessage(.bindingError, transaction).bytes,
      Array(STUNMessage(.bindingRequest, transaction).bytes.dropLast()),
      // An attribute that must be understood.
      [0, 1, 0, 4, 0x21, 0x12, 0xa4, 0x42] + [UInt8](repeating: 1, count: 12) + [0, 0x24, 0, 0],
    ]
    for bytes in messages {
      let answer = responder.answer(to: bytes, from: source, at: now)
      #expect(answer == nil, "\(bytes)")
    }
    var dice = PathDice(seed: 2)
    for _ in 0..<2000 {
      var bytes = STUNMessage(.bindingRequest, transaction).bytes
      bytes[Int(dice.number(0...27))] = dice.byte()
      _ = responder.answer(to: bytes, from: source, at: now)
    }
  }

  @Test("Each network gets ten answers a second in the long run, and all together two thousand")
  func rates() throws {
    var responder = STUNResponder(otherAddress: nil, at: now)
    let request = STUNMessage(.bindingRequest, transaction).bytes
    func count(_ requests: Int, at now: HostTime, from address: (Int) -> SocketAddress) -> Int {
      (0..<requests).count { responder.answer(to: request, from: address($0), at: now) != nil }
    }
    let first = count(200, at: now) { _ in source }
    let second = count(200, at: now + .seconds(1)) { _ in source }
    #expect(first == 50)
    #expect(second == 10)
    // Another address of the same /64 is the same network.
    let six = try #require(SocketAddress(text: "2001:db8::9", port: 1))
    let neighbour = try #require(SocketAddress(text: "2001:db8::77:1", port: 1))
    let both = count(100, at: now + .seconds(2)) { $0 % 2 == 0 ? six : neighbour }
    #expect(both == 50)
    let later = now + .seconds(60)
    let all = count(20_000, at: later) { SocketAddress(IPv4: UInt32($0 + 1) << 8, port: 9) }
    #expect(all == 4000)
  }

  /// Sends requests until one is answered: a datagram may be lost, also on one machine.
  private func ask(_ port: Int) throws -> STUNMessage? {
    let socket = try PathSocket(isIPv6: false, port: 0)
    let server = try #require(SocketAddress(text: "127.0.0.1", port: UInt16(port)))
    var request = STUNMessage(.bindingRequest, transaction)
    request.paddingCount = 12
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
    defer { buffer.deallocate() }
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      socket.send(request.bytes, to: server)
      for _ in 0..<100 {
        if case .datagram(let bytes, let source) = socket.receive(into: buffer), source == server {
          let message = STUNMessage(bytes)
          #expect(message?.mappedAddress?.port == socket.port)
          return message
        }
        usleep(2000)
      }
    }
    return nil
  }

  @Test("A relay answers at its own port and at another one, which it names")
  func sockets() async throws {
    let relay = Relay(configuration: configuration(), logger: silent)
    let addresses = try await relay.start()
    let stun = relay.boundSTUNAddresses
    #expect(stun.count == 2)
    #expect(stun.first == addresses.first)
    for address in stun {
      let answer = try ask(address.port)
      #expect(answer?.mappedAddress?.bytes == [127, 0, 0, 1])
      #expect(answer?.otherAddress?.port == UInt16(stun[1].port))
    }
    await relay.shutdown()
    #expect(relay.boundSTUNAddresses.isEmpty)
  }

  @Test("A relay whose UDP port is taken, or that is told so, serves without STUN")
  func withoutSTUN() async throws {
    let taken = try PathSocket(isIPv6: false, port: 0)
    let first = Relay(configuration: configuration(port: Int(taken.port)), logger: silent)
    try await first.start()
    #expect(first.boundPort == Int(taken.port))
    #expect(first.boundSTUNAddresses.isEmpty)
    await first.shutdown()
    var quiet = configuration()
    quiet.answersSTUN = false
    let second = Relay(configuration: quiet, logger: silent)
    try await second.start()
    #expect(second.boundSTUNAddresses.isEmpty)
    await second.shutdown()
  }
}
