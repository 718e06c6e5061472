import Testing

@testable import MPVPlayer

@Suite("The limits for others' films")
struct ForeignLimitsTests {
  private let own: [String: MPVValue] = [
    MPVProperty.loadUnsafePlaylists: .flag(true), MPVProperty.demuxerLavfOptions: .map([:]),
    MPVProperty.httpProxy: .string("http://mine"),
    MPVProperty.streamLavfOptions: .map(["user_agent": .string("me")]),
    MPVProperty.ytdlRawOptions: .none,
  ]

  @Test("A foreign film gets the limits, and the proxy in addition to the user's own options")
  func foreign() {
    var limits = ForeignLimits()
    #expect(limits.values(isForeign: true, proxy: nil).isEmpty, "the own values aren't known")
    limits.began(own: own)
    let values = limits.values(isForeign: true, proxy: "http://filter")
    #expect(
      values.map(\.name) == [
        MPVProperty.loadUnsafePlaylists, MPVProperty.demuxerLavfOptions, MPVProperty.httpProxy,
        MPVProperty.streamLavfOptions, MPVProperty.ytdlRawOptions,
      ])
    #expect(values[0].value == .flag(false) && values[2].value == .string("http://filter"))
    #expect(values[3].value["user_agent"] == .string("me"))
    #expect(values[3].value["http_proxy"] == .string("http://filter"))
    #expect(limits.ownProxy == .string("http://mine"))
  }

  @Test("The user's own film gets the user's own values back, without those that mpv lacks")
  func restored() {
    var limits = ForeignLimits()
    limits.began(own: own)
    let values = limits.values(isForeign: false, proxy: "http://filter")
    #expect(values.count == 4 && values.allSatisfy { $0.value == own[$0.name] })
    limits.ended()
    #expect(!limits.isInForce && limits.ownProxy == nil)
  }
}
