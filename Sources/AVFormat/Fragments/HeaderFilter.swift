import CAVFormat

/// Takes AAC out of its transport form, in which each packet has a header (ADTS).
final class HeaderFilter {
  private var context: UnsafeMutablePointer<AVBSFContext>?

  /// - Returns: nil for sound in another form.
  init?(_ stream: UnsafeMutablePointer<AVStream>) throws(FragmentError) {
    let parameters = stream.pointee.codecpar!
    guard parameters.pointee.codec_id == AV_CODEC_ID_AAC, parameters.pointee.extradata_size == 0
    else { return nil }
    try FragmentError.check(
      av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &context), "sound")
    try FragmentError.check(
      avcodec_parameters_copy(context!.pointee.par_in, parameters), "sound")
    context!.pointee.time_base_in = stream.pointee.time_base
    try FragmentError.check(av_bsf_init(context), "sound")
  }

  deinit { av_bsf_free(&context) }

  /// Changes a packet.
  ///
  /// - Returns: false for a broken packet.
  func filter(_ packet: Packet) -> Bool {
    av_bsf_send_packet(context, packet.pointer) >= 0
      && av_bsf_receive_packet(context, packet.pointer) >= 0
  }
}
