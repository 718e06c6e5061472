import Foundation
import ProcessTesting
import Testing

@testable import PathProbe

/// Real sockets, a real relay, and the kernel's address translation.
@Suite(
  "The laboratory of routers",
  .enabled("\(NATLaboratory.need)") { NATLaboratory.isPossible },
  .serialized)
struct NATLaboratoryTests {
  private static let kinds: [NATLaboratory.Kind] = [
    .fullCone, .addressRestricted, .portRestricted, .symmetric,
  ]
  private static let pairs = kinds.flatMap { one in kinds.map { (one, $0) } }
  private static let ids = [
    "a": String(repeating: "a", count: 32), "b": String(repeating: "b", count: 32),
  ]

  /// The sum of the time in which a pair that can open must do so, and a generous time for a slow machine.
  ///
  /// The two seconds are a rule of the simulation, where no machine is slow; here the times are printed.
  private static let negative = Duration.seconds(4)

  /// The participants of a test, whose candidates this test passes on.
  private final class Pair {
    let a: ProbeProcess
    let b: ProbeProcess
    /// The number of events of each that were passed on.
    private var passed = ["a": 0, "b": 0]

    init(_ a: ProbeProcess, _ b: ProbeProcess) { (self.a, self.b) = (a, b) }

    func gather(_ servers: [String]) throws {
      try a.send(.gather(servers: servers))
      try b.send(.gather(servers: servers))
    }

    /// Passes the candidates on that came since the last call.
    func exchange() throws {
      for (name, other, from, to) in [("a", "b", a, b), ("b", "a", b, a)] {
        let events = from.events
        let new = events.dropFirst(passed[name] ?? 0)
        passed[name] = events.count
        let found = new.compactMap { event -> [ProbeCandidate]? in
          if case .candidates(let found) = event { found } else { nil }
        }
        guard let latest = found.last, let id = NATLaboratoryTests.ids[name] else { continue }
        try to.send(
          .open(
            peer: id, key: [UInt8](repeating: 7, count: 32), isControlling: other == "a",
            candidates: latest))
      }
    }

    /// Passes candidates on until a condition holds.
    func wait(
      _ what: String, atMost limit: Duration = ProbeProcess.deadline, until isTrue: () -> Bool
    )
      async throws
    {
      let start = ContinuousClock.now
      while ContinuousClock.now - start < limit {
        try exchange()
        if isTrue() { return }
        try await Task.sleep(for: .milliseconds(2))
      }
      throw ProbeProcess.Missing(
        description: "\(what) never came; \(a.events.suffix(6)); \(b.events.suffix(6))")
    }

    /// Waits until datagrams arrive both ways that were sent after now.
    func hear() async throws {
      let marks = [a.events.count, b.events.count]
      try await wait("datagrams both ways") {
        [a, b].enumerated().allSatisfy { number, probe in
          // The first ones may have been on their way.
          probe.events.dropFirst(marks[number]).count { event in
            if case .received = event { true } else { false }
          } > 4
        }
      }
    }

    /// The time from the later invitation to the first path, in milliseconds, at both ends.
    var openingTimes: (a: Double, b: Double)? {
      let invited = [a, b].compactMap { probe in
        probe.events.compactMap { event -> Int64? in
          if case .invited(_, let time) = event { time } else { nil }
        }.first
      }
      let opened = [a, b].compactMap { probe in
        probe.events.compactMap { event -> Int64? in
          if case .opened(_, _, _, let time) = event { time } else { nil }
        }.first
      }
      guard invited.count == 2, opened.count == 2, let begun = invited.max() else { return nil }
      return (Double(opened[0] - begun) / 1e6, Double(opened[1] - begun) / 1e6)
    }

    /// The remote addresses of the paths that a probe reported, in order.
    func remotes(_ probe: ProbeProcess) -> [String] {
      probe.events.compactMap { event in
        if case .opened(_, let remote, _, _) = event { remote } else { nil }
      }
    }

    func hasOpened(_ probe: ProbeProcess) -> Bool { !remotes(probe).isEmpty }
  }

  /// Opens a path between two homes.
  private func connect(
    _ laboratory: NATLaboratory, _ one: NATLaboratory.Home, _ two: NATLaboratory.Home
  ) async throws -> Pair {
    let relay = try await laboratory.startRelay()
    let pair = Pair(
      try laboratory.startPeer("a", in: one), try laboratory.startPeer("b", in: two))
    try pair.gather([relay])
    try await pair.wait("the path") { pair.hasOpened(pair.a) && pair.hasOpened(pair.b) }
    return pair
  }

  @Test("Each pair of routers opens, except symmetric with a strict one", arguments: pairs)
  func routers(_ one: NATLaboratory.Kind, _ two: NATLaboratory.Kind) async throws {
    let laboratory = try NATLaboratory()
    let homes = (try laboratory.makeHome(one), try laboratory.makeHome(two))
    if one.canOpenPath(to: two) {
      let pair = try await connect(laboratory, homes.0, homes.1)
      try await pair.hear()
      let times = try #require(pair.openingTimes)
      print("opened: \(one) \(two): \(Int(times.a)) ms, \(Int(times.b)) ms")
      return
    }
    let relay = try await laboratory.startRelay()
    let pair = Pair(
      try laboratory.startPeer("a", in: homes.0), try laboratory.startPeer("b", in: homes.1))
    try pair.gather([relay])
    await #expect(throws: ProbeProcess.Missing.self) {
      try await pair.wait("a path", atMost: Self.negative) { pair.hasOpened(pair.a) }
    }
    // It was tried: both know the other's public address.
    #expect(pair.a.events.contains { if case .invited = $0 { true } else { false } })
  }

  @Test("Two homes behind one provider's router open a path through it")
  func hairpin() async throws {
    let laboratory = try NATLaboratory()
    let provider = try laboratory.makeProvider(.fullCone)
    let one = try laboratory.makeHome(.portRestricted, behind: provider)
    let two = try laboratory.makeHome(.addressRestricted, behind: provider)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
    #expect(pair.remotes(pair.a).last?.hasPrefix(provider.outerAddress) == true)
  }

  @Test(
    "A home behind two routers opens a path",
    arguments: [NATLaboratory.Kind.fullCone, .portRestricted])
  func twoRouters(kind: NATLaboratory.Kind) async throws {
    let laboratory = try NATLaboratory()
    let provider = try laboratory.makeProvider(kind)
    let one = try laboratory.makeHome(.portRestricted, behind: provider)
    let two = try laboratory.makeHome(.portRestricted)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
  }

  @Test("IPv6 behind firewalls is preferred, also where IPv4 has no way")
  func ipv6() async throws {
    let laboratory = try NATLaboratory()
    let one = try laboratory.makeHome(.symmetric, hasIPv6: true)
    let two = try laboratory.makeHome(.symmetric, hasIPv6: true)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
    #expect(pair.remotes(pair.a).last?.hasPrefix("[2001:470:2:") == true)
  }

  @Test("Without UDP no path opens, and the machine's own addresses are reported")
  func blocked() async throws {
    let laboratory = try NATLaboratory()
    let one = try laboratory.makeHome(.blocked)
    let two = try laboratory.makeHome(.fullCone)
    let relay = try await laboratory.startRelay()
    let pair = Pair(try laboratory.startPeer("a", in: one), try laboratory.startPeer("b", in: two))
    try pair.gather([relay])
    await #expect(throws: ProbeProcess.Missing.self) {
      try await pair.wait("a path", atMost: Self.negative) { pair.hasOpened(pair.a) }
    }
    let candidates = try await pair.a.first("candidates") { event in
      // The first report may come before the first look at the interfaces.
      if case .candidates(let found) = event, !found.isEmpty { found } else { nil }
    }
    #expect(candidates.map(\.address) == [[192, 168, 1, 2]])
  }

  @Test(
    "The path returns after a router's restart",
    arguments: [NATLaboratory.Kind.symmetric, .portRestricted])
  func restart(kind: NATLaboratory.Kind) async throws {
    let laboratory = try NATLaboratory()
    let one = try laboratory.makeHome(kind)
    let two = try laboratory.makeHome(.addressRestricted)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
    try laboratory.restart(one)
    if kind == .symmetric {
      // It now has another outer port.
      let count = pair.remotes(pair.b).count
      try await pair.wait("the new port") { pair.remotes(pair.b).count > count }
    }
    try await pair.hear()
  }

  @Test("The path returns after the provider gave the router another address")
  func outerAddress() async throws {
    let laboratory = try NATLaboratory()
    let one = try laboratory.makeHome(.portRestricted)
    let two = try laboratory.makeHome(.portRestricted)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
    _ = try laboratory.changeOuterAddress(of: one, to: "11.22.33.77")
    try await pair.wait("the new address") {
      pair.remotes(pair.b).last?.hasPrefix("11.22.33.77:") == true
    }
    try await pair.hear()
  }

  @Test("The path returns after the machine got another address")
  func innerAddress() async throws {
    let laboratory = try NATLaboratory()
    let one = try laboratory.makeHome(.fullCone)
    let two = try laboratory.makeHome(.portRestricted)
    let pair = try await connect(laboratory, one, two)
    try await pair.hear()
    try laboratory.changeInnerAddress(of: one, to: "192.168.1.7")
    try await pair.wait("the new candidate") {
      pair.a.events.contains { event in
        guard case .candidates(let found) = event else { return false }
        return found.contains { $0.address == [192, 168, 1, 7] }
      }
    }
    try await pair.hear()
  }
}
