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
    #expect(limits.values(for: .foreign, proxy: nil).isEmpty, "the own values aren't known")
    limits.began(own: own)
    let values = limits.values(for: .foreign, proxy: "http://filter")
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
    let values = limits.values(for: .nothing, proxy: "http://filter")
    #expect(values.count == 4 && values.allSatisfy { $0.value == own[$0.name] })
    limits.ended()
    #expect(!limits.isInForce && limits.ownProxy == nil)
  }

  @Test("The entries of a playlist open nothing else: no network, no yt-dlp, no further entries")
  func entries() {
    var limits = ForeignLimits()
    var own = own
    own[MPVProperty.accessReferences] = .flag(true)
    own[MPVProperty.ytdl] = .flag(true)
    limits.began(own: own)
    let values = Dictionary(
      uniqueKeysWithValues: limits.values(for: .folder, proxy: nil).map { ($0.name, $0.value) })
    #expect(values[MPVProperty.accessReferences] == .flag(false))
    #expect(values[MPVProperty.ytdl] == .flag(false))
    #expect(values[MPVProperty.loadUnsafePlaylists] == .flag(false))
    #expect(values[MPVProperty.streamLavfOptions]?["protocol_whitelist"] == .string("file"))
    #expect(values[MPVProperty.streamLavfOptions]?["user_agent"] == .string("me"))
    #expect(values[MPVProperty.demuxerLavfOptions]?["protocol_whitelist"] == .string("file"))
    #expect(values[MPVProperty.httpProxy] == .string("http://mine"))
  }

  @Test("A file's own options keep the user's, and a stream that the user named has no limits")
  func ofOneFile() throws {
    let own = MPVValue.map(["probesize": .string("9"), "protocol_whitelist": .string("http")])
    let film = ForeignLimits.fileOptions(.nothing, ownFormat: own, liveStart: nil)
    #expect(film[MPVProperty.accessReferences] == .string("no"))
    let format = try #require(film[MPVProperty.demuxerLavfOptions]?.string)
    #expect(format.contains("probesize=%1%9") && format.contains("protocol_whitelist=%4%file"))
    let formats = format.split(separator: ",").map(String.init)
    #expect(formats.contains("matroska") && formats.contains("srt") && formats.contains("vobsub"))
    for name in ["hls", "concat", "sdp", "dash", "imf"] { #expect(!formats.contains(name)) }
    let list = ForeignLimits.fileOptions(.folder, ownFormat: .none, liveStart: nil)
    #expect(list[MPVProperty.accessReferences] == .string("yes"))
    #expect(ForeignLimits.fileOptions(.everything, ownFormat: own, liveStart: nil).isEmpty)
    let live = ForeignLimits.fileOptions(.everything, ownFormat: .none, liveStart: -3)
    #expect(live[MPVProperty.demuxerLavfOptions] == .string("live_start_index=%2%-3"))
  }
}
