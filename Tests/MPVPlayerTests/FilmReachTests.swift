import Foundation
import Testing

@testable import MPVPlayer

@Suite("What a file may open by its name")
struct FilmReachTests {
  @Test(
    "Only files that are named as playlists, archives or discs open others",
    arguments: [
      ("film.mkv", .nothing), ("/films/Orbits.mp4", .nothing), ("file:///films/a.mp4", .nothing),
      ("/proc/self/fd/7", .nothing), ("evening.m3u.mp4", .nothing), (".m3u", .nothing),
      ("/evening.m3u/film", .nothing), ("notes.txt", .nothing), ("stream.sdp", .nothing),
      ("evening.m3u", .folder), ("EVENING.M3U8", .folder), ("file:///a/b.pls", .folder),
      ("cut.edl", .folder), ("disc.cue", .folder), ("films.zip", .folder),
      ("VIDEO_TS.IFO", .folder), ("disc.iso", .folder),
      ("https://films.example/list.m3u8", .everything), ("dvd://", .everything),
      ("edl://a.mkv", .everything),
    ] as [(String, FilmReach)])
  func names(_ location: String, reach: FilmReach) {
    #expect(FilmReach(of: location, isFolder: false, isForeign: false) == reach)
  }

  @Test("A folder opens its files, and an address of others what the limits for those allow")
  func others() {
    #expect(FilmReach(of: "/films", isFolder: true, isForeign: false) == .folder)
    #expect(FilmReach(of: "https://a.example/a.m3u8", isFolder: false, isForeign: true) == .foreign)
  }

  @Test(
    "A playlist whose entries are in its folder may open them",
    arguments: [
      "#EXTM3U\n#EXTINF:2,A title: with a colon\none.mkv\n\n./Part 2/two.mkv\n",
      "one.mkv\r\ntwo, and three.mkv\r\na=b/c.mkv",
      "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"\n#EXTINF:2,\nseg/1.ts\n# http://a.example\n",
      "[playlist]\nFile1=one.mkv\nTitle1=AC/DC, live\nLength1=-1\nNumberOfEntries=1",
      "TITLE \"/ and other songs\"\nFILE \"album.flac\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00",
      "# mpv EDL v0\n# a comment: /etc/passwd\n%8%film.mkv,10,20;a/../b.mkv,start=3\n!new_stream\n",
      "", "a/../b.mkv", "file://one.mkv",
    ])
  func inside(_ text: String) { #expect(FileList(Array(text.utf8)).firstOutside() == nil) }

  @Test(
    "The first entry outside of its folder, or on the network, is found in each format",
    arguments: [
      ("#EXTM3U\none.mkv\n/etc/passwd", "/etc/passwd"),
      ("one.mkv\n  ../secret/two.mkv", "../secret/two.mkv"),
      ("a/../../b.mkv", "a/../../b.mkv"), ("~/films/a.mkv", "~/films/a.mkv"),
      ("#EXTM3U\nHTTP://127.0.0.1/a.mp4", "HTTP://127.0.0.1/a.mp4"),
      ("#EXTM3U\n#EXT-X-MAP:URI=\"/etc/map\"\n1.ts", "/etc/map"),
      ("#EXTM3U\n#EXT-X-MAP:uri=https://a.example/map\n1.ts", "https://a.example/map"),
      ("#EXTM3U\nfile:/etc/passwd", "file:/etc/passwd"), ("crypto+file:a", "crypto+file:a"),
      ("file:///etc/passwd", "file:///etc/passwd"), ("edl://a", "edl://a"),
      ("[playlist]\nFile1 = http://a.example/a\n", "http://a.example/a"),
      ("[playlist]\nFile1 = /etc/passwd\n", "/etc/passwd"),
      ("[InternetShortcut]\nURL=http://a.example/a\n", "http://a.example/a"),
      ("[Reference]\nRef1=http://a.example/a\n", "http://a.example/a"),
      ("<asx><entry>\n<REF HREF = 'mms://a.example/a'/>", "mms://a.example/a"),
      ("FILE \"/music/a.flac\" WAVE", "/music/a.flac"), ("file ../a.flac WAVE", "../a.flac WAVE"),
      ("# mpv EDL v0\none.mkv,1,2;/etc/passwd", "/etc/passwd"),
      ("# mpv EDL v0\n%11%/etc/passwd", "/etc/passwd"),
      ("# mpv EDL v0\nfile=%11%/etc/passwd,length=2", "/etc/passwd"),
      ("# mpv EDL v0\n!mp4_dash,init=/etc/passwd\none.mkv", "/etc/passwd"),
      ("\u{FEFF}/etc/passwd", "/etc/passwd"),
    ])
  func outside(_ text: String, name: String) {
    #expect(FileList(Array(text.utf8)).firstOutside() == name)
    let units = "\u{FEFF}\(text.drop { $0 == "\u{FEFF}" })".utf16
    #expect(FileList(units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).firstOutside() == name)
    #expect(FileList(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }).firstOutside() == name)
  }

  @Test("An absolute entry in the playlist's own folder is in it")
  func ownFolder() {
    let list = FileList(Array("/films/a.mkv\n/films/../b.mkv".utf8))
    #expect(list.firstOutside(of: "/films/") == "/films/../b.mkv")
    #expect(list.firstOutside(of: "/film/") == "/films/a.mkv")
  }

  @Test(
    "The films of a playlist are those that it names in its folder, if it names no others",
    arguments: [
      (
        "m3u", "#EXTM3U\n#EXTINF:2,One: a film\none.mkv\r\n\n./Part 2/two.mkv\n",
        ["one.mkv", "./Part 2/two.mkv"]
      ),
      ("pls", "[playlist]\nFile1=one.mkv\nTitle1=One\nFile2=b.mkv\n", ["one.mkv", "b.mkv"]),
      ("m3u8", "file://a=b.mkv\nFOLDER/c.mkv", ["a=b.mkv", "c.mkv"]),
      ("m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n", nil),
      ("m3u", "one.mkv\n../two.mkv", nil), ("m3u", "http://a.example/a.mkv", nil),
      ("m3u", "file \"a\" ../../../etc/passwd", nil), ("m3u", "#EXTM3U\n", nil),
      ("edl", "one.mkv", nil), ("mkv", "one.mkv", nil),
    ] as [(String, String, [String]?)])
  func films(ending: String, text: String, names: [String]?) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("list-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let list = folder + "/list." + ending
    try Data(text.replacing("FOLDER", with: folder).utf8)
      .write(to: URL(fileURLWithPath: list))
    #expect(FileList.films(in: list) == names?.map { folder + "/" + $0 })
  }

  @Test(
    "A file that isn't a film is called what it is",
    arguments: [
      ("# mpv EDL v0\n", .list(ending: "edl")), ("#EXTM3U\na", .list(ending: "m3u8")),
      ("\u{FEFF} [Playlist]\n", .list(ending: "pls")), ("[InternetShortcut]", .list(ending: "url")),
      ("<ASX version=\"3\">", .list(ending: "asx")),
      ("REM a\nFILE \"a\" WAVE", .list(ending: "cue")),
      ("v=0\no=-", .sources), ("ffconcat version 1.0", .sources), ("PK\u{3}\u{4}", .archive),
      ("", nil), ("ftypisom", nil),
    ] as [(String, FileContent?)])
  func content(_ text: String, content: FileContent?) {
    #expect(FileContent(Array(text.utf8)) == content)
  }
}
