/// Answers of a server to a request for a film that try to make the program open the user's own
/// files.
enum Smuggling {
  static func redirects(_ canary: Canary) -> [String: String] {
    let film = canary.path("film.mkv")
    return [
      "to-file": "file://\(film)", "to-path": film, "to-list": "/list.m3u",
      "to-edl": "edl://\(film)",
      "to-concat": "concat:\(film)", "to-lavf": "lavf://file:\(film)", "to-cache": "cache:\(film)",
      "to-subfile": "subfile,,start,0,end,0,,:\(film)", "to-data": "data:text/plain,x",
      "to-memory": "memory://x",
    ]
  }

  /// Returns the content type and the text of each page by its name.
  static func pages(_ canary: Canary) -> [String: (String, String)] {
    let film = canary.path("film.mkv")
    var pages: [String: (String, String)] = [
      "list.pls": ("audio/x-scpls", "[playlist]\nFile1=\(film)\nNumberOfEntries=1\n"),
      "list.txt": ("text/plain", film + "\n"),
      "list.cue": (
        "text/plain",
        "FILE \"\(film)\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n"
      ),
      "list.edl": ("text/plain", "# mpv EDL v0\n\(film),0,1\n"),
      "old.edl": ("text/plain", "mplayer EDL file, version 2\n< s \(film)\ns 0 1\n"),
      "list.ffconcat": ("text/plain", "ffconcat version 1.0\nfile '\(film)'\n"),
      "list.asx": (
        "video/x-ms-asf", "<asx version=\"3.0\"><entry><ref href=\"file://\(film)\"/></entry></asx>"
      ),
      "film.mov": ("video/quicktime", "RTSPtext\nfile://\(film)\n"),
      "film.mpd": (
        "application/dash+xml",
        """
        <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" \
        mediaPresentationDuration="PT2S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">\
        <Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1">\
        <BaseURL>file://\(canary.path("header.mp4"))</BaseURL></Representation></AdaptationSet>\
        </Period></MPD>
        """
      ),
    ]
    // A playlist of one address each, one of them another playlist.
    for (name, address) in [
      "list": film, "file": "file://\(film)", "edl": "edl://\(film)", "lavf": "lavf://file:\(film)",
      "ffmpeg": "ffmpeg://file:\(film)", "concat": "concat://\(film)",
      "slice": "slice://0-9999@\(film)",
      "appending": "appending://\(film)", "av": "av://lavfi:movie=\(film)",
      "archive": "archive://\(film)",
      "memory": "memory://#EXTM3U\\n\(film)", "mf": "mf://\(canary.path("*.mkv"))", "fd": "fd://0",
      "nested": "/list.m3u", "folder": canary.folder.path,
    ] {
      pages["\(name).m3u"] = ("audio/x-mpegurl", "#EXTM3U\n\(address)\n")
    }
    let segment = canary.path("segment.ts")
    for (name, uri) in [
      "path": segment, "file": "file://\(segment)", "concat": "concat:\(segment)|\(film)",
      "subfile": "subfile,,start,0,end,0,,:\(segment)", "crypto": "crypto:\(segment)",
      "crypto-file": "crypto:file:\(segment)", "data": "data:text/plain,x",
    ] {
      let type = "application/vnd.apple.mpegurl"
      let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
      pages["segment-\(name).m3u8"] = (type, head + "#EXTINF:2,\n\(uri)\n#EXT-X-ENDLIST\n")
      // Live, so that the program's own reader parses it, too.
      pages["live-\(name).m3u8"] = (
        type, head + String(repeating: "#EXTINF:2,\n\(uri)\n", count: 4)
      )
      pages["variant-\(name).m3u8"] = (type, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(uri)\n")
      pages["header-\(name).m3u8"] = (
        type, head + "#EXT-X-MAP:URI=\"\(uri)\"\n#EXTINF:2,\nx.mp4\n#EXT-X-ENDLIST\n"
      )
    }
    for key in ["file://", "crypto+file://", ""] {
      pages["key-\(key.prefix { $0 != ":" }).m3u8"] = (
        "application/vnd.apple.mpegurl",
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(key)\(canary.path("key.bin"))\"\n#EXTINF:2,\nx.ts\n#EXT-X-ENDLIST\n"
      )
    }
    return pages
  }
}
