import GroupActivities
import Testing

@testable import Screening

@Suite("Consent to addresses")
struct AddressConsentTests {
  private func origin(_ location: String) throws -> FilmOrigin {
    try #require(FilmOrigin(of: location))
  }

  @Test(
    "An origin is scheme, host and port",
    arguments: [
      ("http://films.example/a.mkv?x=1", "http://films.example"),
      ("HTTPS://Films.Example:443/", "https://films.example"),
      ("https://ana:secret@films.example:8443", "https://films.example:8443"),
      ("http://[::1]:8080/x", "http://[::1]:8080"),
      ("http://films.example:/", "http://films.example"),
    ])
  func origins(location: String, text: String) throws {
    #expect(try origin(location).description == text)
  }

  @Test(
    "An address that two URL parsers read differently has no origin",
    arguments: [
      "http://a.example:0/", "http://a.example:65536/", "http://a.example:80:90/",
      "http://a.example:8x/", "http://[::1]x/", "http://a.example:+80/", "ftp://a.example/",
      "http:///x", "/film.mkv",
    ])
  func noOrigin(location: String) {
    #expect(FilmOrigin(of: location) == nil)
    if case .refuse = URLPolicy().verdict(on: location) { return }
    Issue.record("\(location) isn't refused")
  }

  /// The protocols that mpv and FFmpeg know besides the two that are allowed.
  private static let schemes = [
    "file", "FILE", "edl", "lavf", "ffmpeg", "av", "avdevice", "memory", "hex", "fd", "fdclose",
    "appending", "archive", "slice", "bd", "br", "bluray", "dvd", "dvdnav", "cdda", "dvb", "tv",
    "smb", "sftp", "ftp", "data", "concat", "subfile", "pipe", "crypto", "tee", "unix", "tcp",
    "udp", "rtmp", "rtsp", "mf", "null", "ytdl", "md5", "gopher", "ipfs", "async", "cache",
    "http+unix",
  ]

  @Test(
    "An address with another scheme, however it is written, and one that isn't a URL, is refused")
  func refused() {
    let path = "/films/film.mkv"
    let locations =
      Self.schemes.map { "\($0)://\(path)" } + [
        path, "file:\(path)", "concat:\(path)", "subfile,,start,0,end,0,,:\(path)",
        "crypto:\(path)", "data:text/plain,x", "-", "", "//", "\\\\?\\\(path)",
        " file://\(path)", "\tfile://\(path)", "file%3A//\(path)", "http:\(path)", "http://",
        "http:///\(path)", "lavf://file:\(path)", "edl://%\(path.utf8.count)%\(path)",
        "http://a.example\\@evil/\(path)", "http://127.0.0.1/\u{202E}x",
        "http://127.0.0.1/\u{9B}31m", "http://h%6Fst/x", "http://ho\u{455}t/x",
        "http://127.0.0.1/a|file://\(path)",
      ]
    for location in locations {
      if case .refuse = URLPolicy().verdict(on: location) { continue }
      Issue.record("\(location) isn't refused")
    }
  }

  @Test(
    "A different port, scheme or host needs consent; the encrypted form of an approved site doesn't"
  )
  func otherOrigins() throws {
    var policy = URLPolicy()
    policy.allow(try origin("http://films.example/"), on: .internet)
    #expect(policy.verdict(on: "http://films.example:80/b") == .open)
    #expect(policy.verdict(on: "https://films.example/b") == .open)
    for other in ["http://films.example:8080/", "https://films.example:80/", "http://b.example/"] {
      #expect(policy.verdict(on: other) == .ask(try origin(other)))
    }
    policy = URLPolicy()
    policy.allow(try origin("https://films.example/"), on: .internet)
    let clear = "http://films.example/"
    #expect(policy.verdict(on: clear) == .ask(try origin(clear)))
  }

  @Test("Consent to a playlist is for that playlist, and for no address")
  func lists() throws {
    let list = FilmOrigin(list: "/films/evening.m3u")
    #expect(list.description == "file:///films/evening.m3u" && list.secured == nil)
    var policy = URLPolicy()
    #expect(!policy.admits(list, on: .internet))
    policy.allow(list, on: .internet)
    #expect(policy.admits(list, on: .internet))
    #expect(!policy.admits(FilmOrigin(list: "/films/other.m3u"), on: .internet))
    for location in ["file:///films/evening.m3u", "/films/evening.m3u"] {
      #expect(policy.verdict(on: location) != .open)
    }
  }

  @Test("A server that an earlier version trusted is trusted for its standard ports only")
  func earlierTrust() throws {
    var policy = URLPolicy()
    policy.allow(trusted: "films.example")
    policy.allow(trusted: "http://b.example:8080")
    #expect(policy.verdict(on: "https://films.example/") == .open)
    #expect(policy.verdict(on: "http://b.example:8080/") == .open)
    let other = "http://films.example:631/"
    #expect(policy.verdict(on: other) == .ask(try origin(other)))
    policy.forget(trusted: "films.example")
    #expect(policy.verdict(on: "https://films.example/") != .open)
    #expect(policy.verdict(on: "http://b.example:8080/") == .open)
  }

  @Test(
    "Addresses and names of the local network are recognized, however they are written",
    arguments: [
      "localhost", "film.localhost", "localhost.", "127.0.0.1", "127.8.9.1", "127.1", "0x7f.1",
      "2130706433", "0177.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "10.1.2.3",
      "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "fe80::1",
      "fd00::1", "fc12::5", "2002:c0a8:101::1", "64:ff9b::7f00:1", "224.0.0.1", "router",
      "nas.local", "nas.lan", "printer.home.arpa", "git.internal", "router.fritz.home",
    ])
  func ownNetwork(host: String) {
    #expect(HostNetwork(of: host, addresses: ["93.184.216.34"], nearby: []) == .own)
  }

  @Test("Names are judged by all addresses that they resolve to")
  func resolved() {
    func network(_ addresses: [String]?, nearby: Set<String> = []) -> HostNetwork {
      HostNetwork(of: "films.example", addresses: addresses, nearby: nearby)
    }
    #expect(network(["93.184.216.34"]) == .internet)
    #expect(network(["93.184.216.34", "192.168.1.1"]) == .own)
    #expect(network(["2606:2800:220:1::1"]) == .internet)
    #expect(network(["2606:2800:220:1::1"], nearby: ["2606:2800:220:1::1"]) == .own)
    #expect(network(nil) == .unknown && network([]) == .unknown)
    #expect(HostNetwork(of: "8.8.8.8", addresses: nil, nearby: []) == .internet)
    #expect(HostNetwork(of: "8.8.8.8", addresses: nil, nearby: ["8.8.8.8"]) == .own)
    #expect(HostNetwork(of: "172.32.0.1", addresses: nil, nearby: []) == .internet)
  }

  @Test("A question about the local network says so")
  func words() throws {
    let printer = AddressQuestion(
      origin: try origin("http://192.168.1.9:631/x"), network: .own, location: "x")
    #expect(
      printer.asked.text
        == "Load the film from 192.168.1.9:631? This address is on your own network.")
    let site = AddressQuestion(
      origin: try origin("https://films.example/x"), network: .internet, location: "x")
    #expect(site.asked.text == "Load the film from films.example?")
    let list = AddressQuestion(
      origin: FilmOrigin(list: "/films/evening.m3u"), network: .internet, location: "/other/b.mkv")
    #expect(list.asked.text == "evening.m3u leads out of its folder, to /other/b.mkv. Open it?")
  }
}
