"""What is configured is accepted, kept and shown."""

import similarflow as sf


def test_settings_are_kept_as_attributes():
    config = sf.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=2)
    assert config.allow_soft_placement is True
    assert config.inter_op_parallelism_threads == 2
    config.log_device_placement = False
    assert config.log_device_placement is False


def test_graphics_options_are_there_or_given():
    config = sf.ConfigProto()
    config.gpu_options.allow_growth = True
    assert config.gpu_options.allow_growth is True
    options = sf.GPUOptions(per_process_gpu_memory_fraction=0.3)
    assert sf.ConfigProto(gpu_options=options).gpu_options is options
    assert sf.ConfigProto().gpu_options is not sf.ConfigProto().gpu_options


def test_they_show_what_was_set():
    assert repr(sf.RunOptions(trace_level=3)) == "RunOptions(trace_level=3)"
    assert repr(sf.RunMetadata()) == "RunMetadata()"
    config = sf.ConfigProto(device_count={"GPU": 0})
    assert repr(config) == (
        "ConfigProto(gpu_options=GPUOptions(), device_count={'GPU': 0})"
    )
