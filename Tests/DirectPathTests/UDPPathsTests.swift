import Foundation
import GroupActivities
import Synchronization
import Testing
import Timekeeping

@testable import DirectPath

/// Direct paths over the loopback interface.
@Suite("Paths over UDP") struct UDPPathsTests {
  private static let names = [Participant.ID(high: 1, low: 1), Participant.ID(high: 2, low: 2)]

  private func makePaths() throws -> UDPPaths {
    try UDPPaths(UDPPaths.Configuration(allowsLoopback: true), addresses: { ["127.0.0.1"] })
  }

  /// The events of paths, for any number of waits.
  private final class Journal: Sendable {
    let paths: UDPPaths
    private let events = Mutex<[DirectPathEvent]>([])
    private let hasEnded = Mutex(false)

    init(_ paths: UDPPaths) {
      self.paths = paths
      Task { [self] in
        for await event in paths.events { events.withLock { $0.append(event) } }
        hasEnded.withLock { $0 = true }
      }
    }

    func first<Value>(_ choose: (DirectPathEvent) -> Value?) async throws -> Value {
      let end = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < end {
        if let found = events.withLock({ $0 }).lazy.compactMap(choose).first { return found }
        try await Task.sleep(for: .milliseconds(2))
      }
      throw CancellationError()
    }

    func end() async throws {
      let end = ContinuousClock.now + .seconds(60)
      while !hasEnded.withLock({ $0 }), ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(hasEnded.withLock { $0 })
    }
  }

  private func open(_ journals: [Journal]) async throws {
    for journal in journals { journal.paths.gather(servers: []) }
    for (number, journal) in journals.enumerated() {
      let candidates = try await journals[1 - number].first { event in
        if case .candidates(let found) = event, !found.isEmpty { found } else { nil }
      }
      journal.paths.open(
        PathInvitation(
          peer: Self.names[1 - number], key: [UInt8](repeating: 5, count: 32),
          isControlling: number == 0, candidates: candidates))
    }
  }

  @Test("Two ends open a path, and datagrams arrive both ways with the time of their arrival")
  func datagrams() async throws {
    let journals = [Journal(try makePaths()), Journal(try makePaths())]
    try await open(journals)
    for (number, journal) in journals.enumerated() {
      let path = try await journal.first { event in
        if case .opened(Self.names[1 - number], let path) = event { path } else { nil }
      }
      #expect(path.remote == "127.0.0.1:\(journals[1 - number].paths.portIPv4 ?? 0)")
      #expect(path.roundTrip > .zero)
    }
    for (number, journal) in journals.enumerated() {
      let before = HostTime.now()
      let isSent = journal.paths.send([UInt8(number), 9], to: Self.names[1 - number])
      #expect(isSent)
      let time = try await journals[1 - number].first { event in
        if case .received(Self.names[number], [UInt8(number), 9], let time) = event {
          time
        } else {
          nil
        }
      }
      #expect(time >= before)
      #expect(time <= .now())
    }
    let isTooLong = journals[0].paths.send(
      [UInt8](repeating: 0, count: PathInvitation.datagramLimit + 1), to: Self.names[1])
    #expect(!isTooLong)
    for journal in journals { await journal.paths.close() }
  }

  @Test("After closing, the events end and nothing can be sent; closing again has no effect")
  func closing() async throws {
    let journals = [Journal(try makePaths()), Journal(try makePaths())]
    try await open(journals)
    _ = try await journals[0].first { if case .opened = $0 { true } else { nil } }
    await journals[0].paths.close()
    await journals[0].paths.close()
    try await journals[0].end()
    let isSent = journals[0].paths.send([1], to: Self.names[1])
    #expect(!isSent)
    await journals[1].paths.close()
  }

  @Test("A port that is taken is an error only if it is taken for both families")
  func ports() async throws {
    let taken = try PathSocket(isIPv6: false, port: 0)
    let six = try? PathSocket(isIPv6: true, port: taken.port)
    let error = #expect(throws: DirectPathError.self) {
      try UDPPaths(UDPPaths.Configuration(port: taken.port), addresses: { [] })
    }
    #expect(error?.code == EADDRINUSE || six == nil)
    #expect(error?.description.contains("\(taken.port)") == true || six == nil)
  }

  @Test("Paths that nobody closes end with their last reference")
  func release() async throws {
    var paths: UDPPaths? = try makePaths()
    let events = try #require(paths?.events)
    paths = nil
    for await _ in events {}
  }
}
