import Testing

@testable import FilmProxy
@testable import MatineeKit
@testable import Screening

@Suite("Judgement on the servers of foreign films")
struct OriginJudgementTests {
  private func judge(
    _ url: String, _ policy: URLPolicy, at addresses: [String]?, isForwarded: Bool = false
  ) throws -> OriginJudgement {
    let destination = try #require(
      ProxyDestination(url: url) ?? ProxyDestination(tunnel: url))
    return OriginJudgement(
      on: destination, policy, isForwarded: isForwarded, nearby: { ["203.0.114.9"] },
      addresses: { _ in addresses })
  }

  private func policy(_ location: String, on network: HostNetwork) throws -> URLPolicy {
    var policy = URLPolicy()
    policy.allow(try #require(FilmOrigin(of: location)), on: network)
    return policy
  }

  @Test("The player connects to an accepted origin only at the addresses that were judged")
  func agreed() throws {
    let policy = try policy("http://films.example/", on: .internet)
    let addresses = ["93.184.216.34", "2606:2800:220:1::1"]
    #expect(
      try judge("http://films.example/a", policy, at: addresses) == .connect(addresses: addresses))
    // The encrypted form of a site.
    #expect(
      try judge("films.example:443", policy, at: addresses) == .connect(addresses: addresses))
    #expect(try judge("http://films.example/a", policy, at: nil) == .unknownHost)
    #expect(
      try judge("http://films.example/a", policy, at: nil, isForwarded: true)
        == .connect(addresses: []))
  }

  @Test(
    "Another origin is refused and named without being looked up",
    arguments: [
      ("http://films.example:81/x", "http://films.example:81"),
      ("http://0x7f.1/x", "http://0x7f.1"), ("films.example:80", "https://films.example:80"),
      ("[::ffff:192.168.1.1]:443", "https://[::ffff:192.168.1.1]"),
    ])
  func other(url: String, origin: String) throws {
    let policy = try policy("http://films.example/", on: .internet)
    let destination = try #require(
      ProxyDestination(url: url) ?? ProxyDestination(tunnel: url))
    let judgement = OriginJudgement(
      on: destination, policy, isForwarded: false, nearby: { [] },
      addresses: { host in
        Issue.record("\(host) was looked up")
        return nil
      })
    guard case .refuse(let refusal?) = judgement else {
      Issue.record("\(judgement)")
      return
    }
    #expect(refusal.origin.description == origin)
    #expect(refusal.network == nil)
  }

  @Test(
    "A public name that leads into the user's own network needs a second question",
    arguments: [
      ["127.0.0.1"], ["93.184.216.34", "192.168.1.1"], ["::1"], ["fe80::1"],
      ["::ffff:127.0.0.1"], ["100.64.0.1"], ["169.254.169.254"], ["0.0.0.0"], ["203.0.114.9"],
      ["2002:7f00:1::"], ["64:ff9b::7f00:1"],
    ])
  func rebinding(addresses: [String]) throws {
    let url = "http://films.example/a"
    let origin = try #require(FilmOrigin(of: url))
    for network in [HostNetwork.internet, .unknown] {
      var policy = try policy(url, on: network)
      #expect(
        try judge(url, policy, at: addresses)
          == .refuse(OriginRefusal(origin: origin, network: .own, location: url)))
      policy.allow(origin, on: .own)
      #expect(try judge(url, policy, at: addresses) == .connect(addresses: addresses))
      policy.forget(trusted: "films.example")
      #expect(
        try judge(url, policy, at: addresses)
          == .refuse(OriginRefusal(origin: origin, location: url)))
    }
  }

  @Test("A name that shows that it is on the user's own network needs no second question")
  func own() throws {
    for url in ["http://nas.local/", "http://192.168.1.5:8080/", "http://127.1/"] {
      var policy = URLPolicy()
      policy.allow(trusted: try #require(FilmOrigin(of: url)).description)
      #expect(
        try judge(url, policy, at: ["192.168.1.5"]) == .connect(addresses: ["192.168.1.5"]),
        "\(url)")
    }
    // The user typed it.
    var policy = URLPolicy()
    policy.allow(originOf: "http://films.example/")
    #expect(
      try judge("http://films.example/", policy, at: ["10.0.0.1"])
        == .connect(addresses: ["10.0.0.1"]))
  }
}
