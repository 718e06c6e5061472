import Testing
import Timekeeping

@testable import NATSTransport

@Suite("A cluster's servers")
struct KnownServersTests {
  private var random = SystemRandomNumberGenerator()

  private func addresses(_ texts: String...) throws -> [ServerAddress] {
    try texts.map { try ServerAddress($0) }
  }

  @Test("All servers are tried, the lost one last")
  mutating func successors() throws {
    var servers = KnownServers(given: try addresses("a", "b"), demandTLS: false)
    servers.learn(try addresses("b", "c", "d", "c"))
    #expect(servers.all.map(\.host) == ["a", "b", "c", "d"])
    for lost in servers.all {
      let order = servers.successors(of: lost, using: &random).map(\.host)
      #expect(order.last == lost.host)
      #expect(order.sorted() == ["a", "b", "c", "d"])
    }
    // A list replaces the one before.
    servers.learn(try addresses("e"))
    #expect(servers.all.map(\.host) == ["a", "b", "e"])
    servers.learn(try (0..<1000).map { try ServerAddress("h\($0)") })
    #expect(servers.all.count == 18)
  }

  @Test("The servers come in another order for each client")
  mutating func spread() throws {
    let servers = KnownServers(given: try addresses("a", "b", "c"), demandTLS: false)
    var firsts: [String: Int] = [:]
    for _ in 0..<1000 {
      firsts[servers.successors(of: servers.all[0], using: &random)[0].host, default: 0] += 1
    }
    #expect(firsts["a"] == nil)
    #expect((400...600).contains(firsts["b"] ?? 0), "\(firsts)")
  }

  @Test(
    "TLS that proved an identity becomes required, and a mere request for TLS concerns one server only"
  )
  func tls() throws {
    let list = try addresses("a", "tls://b", "c")
    var servers = KnownServers(given: list, demandTLS: false)
    #expect(list.map(servers.usesTLS) == [false, true, false])
    servers.asksForTLS(list[0])
    #expect(list.map(servers.usesTLS) == [true, true, false])
    servers.haveTLS()
    #expect(list.map(servers.usesTLS) == [true, true, true])
    servers.learn(try addresses("d"))
    #expect(servers.usesTLS(servers.all[3]))
    #expect(list.map(KnownServers(given: list, demandTLS: true).usesTLS) == [true, true, true])
  }

  @Test("A server listed by number is certified by the name that the user gave")
  func names() throws {
    let named = try ServerAddress("tls://ana:pw@party.example.org:5")
    #expect(named.nameToCertify == "party.example.org")
    let numbered = try #require(named.member("nats://10.0.0.2:6", isVerified: true))
    #expect(numbered.nameToCertify == "party.example.org")
    #expect(numbered.userInfo == "ana:pw")
    #expect(numbered.description == "10.0.0.2:6")
    // And so on, from member to member.
    #expect(numbered.member("10.0.0.3:6", isVerified: true)?.nameToCertify == "party.example.org")
    #expect(named.member("[2001:db8::1]:6", isVerified: true)?.nameToCertify == "party.example.org")
    #expect(named.member("b.example.org:6", isVerified: true)?.nameToCertify == "b.example.org")
    let number = try ServerAddress("tls://[::1]:5")
    #expect(number.nameToCertify == "::1")
    #expect(number.member("10.0.0.2:6", isVerified: true)?.nameToCertify == "10.0.0.2")
    #expect(named.member("not an address", isVerified: true) == nil)
  }

  @Test("get the password from a list that anyone may have written only at the host that has it")
  func passwords() throws {
    let server = try ServerAddress("nats://ana:pw@Party.example.org:5")
    #expect(server.member("10.0.0.2:6", isVerified: false)?.userInfo == nil)
    #expect(server.member("evil.example.org:5", isVerified: false)?.userInfo == nil)
    #expect(server.member("eve:x@10.0.0.2:6", isVerified: false)?.userInfo == nil)
    #expect(server.member("party.example.org:6", isVerified: false)?.userInfo == "ana:pw")
    #expect(server.member("10.0.0.2:6", isVerified: true)?.userInfo == "ana:pw")
    // A list from such a server doesn't give it back.
    let stranger = try #require(server.member("10.0.0.2:6", isVerified: false))
    #expect(stranger.member("10.0.0.3:6", isVerified: true)?.userInfo == nil)
  }

  @Test("Servers are tried again at once, and then less and less often")
  func schedule() throws {
    var configuration = NATSConfiguration(servers: [])
    configuration.reconnectWait = .milliseconds(100)
    configuration.reconnectJitter = .milliseconds(80)
    configuration.patientReconnectWait = .milliseconds(300)
    var schedule = ReconnectSchedule(configuration)
    let waits = [0.5, 0, 0, 0, 0, 1].map { schedule.next(isRefused: false, chance: $0) }
    #expect(
      waits.map(\.inMilliseconds).map { $0.rounded() } == [40, 100, 150, 225, 300, 450])
    // A refused client need not hurry.
    var refused = ReconnectSchedule(configuration)
    _ = refused.next(isRefused: false, chance: 0)
    #expect(refused.next(isRefused: true, chance: 0) == .milliseconds(300))
  }
}
